// SPDX-License-Identifier: BSD-3-Clause
// What a test of a tree looks at (colltree::Attribute): its value at an instance, and how the page
// writes the test. A test is [attribute, threshold, ...]: value <= threshold.
import { bytes } from './format.js';

const isPowerOfTwo = (size) => Number(size > 0 && Number.isInteger(Math.log2(size)));

// `word` is what is compared; `not` says that a value of 0 or 1 is 0.
const kAttributes = new Map(Object.entries({
  communicator_size: { value: (one, i) => one.ranks[i], word: 'ranks' },
  message_size: { value: (one, i) => one.bytes[i], word: 'message', written: bytes },
  nodes: { value: (one, i) => one.json.instances.nodes?.[i] ?? 0, word: 'nodes' },
  ranks_per_node: { value: (one, i) => one.json.instances.ranks_per_node?.[i] ?? 0, word: 'ranks per node' },
  communicator_size_is_power_of_two: { value: (one, i) => isPowerOfTwo(one.ranks[i]), word: 'power of two', not: 'ranks not 2ⁿ' },
  message_size_is_even: { value: (one, i) => Number(one.bytes[i] % 2 === 0), word: 'even message size', not: 'odd message size' },
}));

// A guess would show a path and a tree that nobody fitted.
function known(name) {
  const attribute = kAttributes.get(name);
  if (!attribute) throw new Error(`a tree of this report tests '${name}', which its page does not know`);
  return attribute;
}

// Of a tree: nodes are [attribute, threshold, low, high] or [method].
export function checkTree(tree) {
  for (const node of tree) if (node.length > 1) known(node[0]);
}

export const valueOf = (name, collective, i) => known(name).value(collective, i);

export function testText([name, threshold]) {
  const { word, written = String, not } = known(name);
  return not && threshold === 0 ? not : `${word} ≤ ${written(threshold)}`;
}
