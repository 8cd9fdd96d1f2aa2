// SPDX-License-Identifier: BSD-3-Clause
// How numbers are written. The same forms as colltree's tables.

const kBlank = '\u00a0';  // a number and its unit stay together

const kUnits = [
  [2 ** 30, 'G'],
  [2 ** 20, 'M'],
  [2 ** 10, 'K'],
];

// 393216 -> "384K", 1448 -> "1448B": as format_bytes.
export function bytes(size) {
  for (const [unit, letter] of kUnits) {
    if (size >= unit && size % unit === 0) return `${size / unit}${letter}`;
  }
  return size === 0 ? '0' : `${size}B`;
}

// Percent of a fraction with the digits that matter: 0.04, 8.9, 566.
export function percent(fraction) {
  const value = 100 * fraction;
  const size = Math.abs(value);
  if (size === 0) return `0${kBlank}%`;
  if (size < 0.005) return `< 0.01${kBlank}%`;
  const digits = size < 0.995 ? 2 : size < 99.95 ? 1 : 0;
  return `${value.toFixed(digits).replace('-', '−')}${kBlank}%`;
}

export const withoutUnit = (text) => text.replace(`${kBlank}%`, '');
export const signedPercent = (fraction) => (fraction > 0 ? '+' : '') + percent(fraction);

export const interval = (pair) =>
  pair ? `${withoutUnit(percent(pair[0]))} to ${percent(pair[1])}` : 'not known';

// Four digits: "12.34 µs", "1.234 ms".
export function time(us) {
  if (us === null || us === undefined) return '–';
  const [value, unit] = us < 1e3 ? [us, 'µs'] : us < 1e6 ? [us / 1e3, 'ms'] : [us / 1e6, 's'];
  return `${Number(value.toPrecision(4))}${kBlank}${unit}`;
}

export const count = (n, one, many = `${one}s`) =>
  `${n.toLocaleString('en').replaceAll(',', '\u202f')} ${n === 1 ? one : many}`;

export function escape(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(text).replace(/[&<>"']/g, (c) => entities[c]);
}
