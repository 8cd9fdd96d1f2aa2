// SPDX-License-Identifier: BSD-3-Clause
// Light and dark: the reader's system decides until the button is pressed; paper is light.

const kDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = [];
let printing = false;

export function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : kDark.matches;
}

export const pick = (colours) => (colours ? colours[Number(isDark())] : css('--quiet-fill'));

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function toggle() {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  changed();
}

export function onTheme(listener) {
  listeners.push(listener);
}

function changed() {
  for (const listener of listeners) listener();
}

function print(on) {
  printing = on;
  document.documentElement.classList.toggle('printing', on);
  changed();
}

kDark.addEventListener('change', changed);
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
