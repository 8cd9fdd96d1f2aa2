// SPDX-License-Identifier: BSD-3-Clause
// How to make all this again, and how to put the chosen model to use.
import { byId, element } from '../dom.js';

// Pages opened from a file have no clipboard in some browsers: then the text is selected.
async function copy(pre, button) {
  const selection = getSelection();
  selection.selectAllChildren(pre);
  try {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = 'Copied';
  } catch {
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

function block(title, id, lines) {
  const pre = element('pre', { id, tabindex: 0, 'aria-label': title }, lines.join('\n'));
  const button = element('button', { type: 'button', 'aria-label': `Copy: ${title}`, onclick: () => copy(pre, button) }, 'Copy');
  return element('div', { class: 'card' }, element('h3', {}, title, button), pre);
}

function deploy(view) {
  const { chooser, entry, collective, report } = view;
  const fill = (text) => text.replaceAll('{leaves}', entry.leaves);
  if (!chooser.model_file) return ['# the ' + chooser.label + ' is not a model file; choose a tree above'];
  const model = fill(chooser.model_file);
  const output = (target) => `${collective.name}.${{ c: 'c', dot: 'dot' }[target] ?? target}`;
  const [main, ...others] = report.emitters;
  return [
    ...(chooser.fit_command ? [fill(chooser.fit_command)] : []),
    `colltree evaluate ${model} --on ${report.profile}`,
    `colltree decide ${model} ${collective.name} ${collective.ranks[view.at]} ${collective.bytes[view.at]}`,
    `# ${main.summary}`, `colltree emit ${main.target} ${model} -o ${output(main.target)}`,
    ...others.map(({ target, summary }) => `# colltree emit ${target} ${model} -o ${output(target)}    ${summary}`),
  ];
}

export function showCommands(view) {
  const { report } = view;
  view.state.onPause(['collective', 'chooser', 'entry', 'at'], () => {
    byId('commands').replaceChildren(
      block('Measure and report again', 'commands-again', [...report.origin_commands, `colltree compare ${report.profile}`, report.command]),
      block('Deploy the chosen model', 'commands-deploy', deploy(view)));
  });
}
