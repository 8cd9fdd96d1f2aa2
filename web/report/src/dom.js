// SPDX-License-Identifier: BSD-3-Clause

export const byId = (id) => document.getElementById(id);

// element('button', {class: 'x', onclick: f}, 'text', child, ...)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export function select(label, options, value, onchange) {
  const list = element('select', { onchange: (event) => onchange(event.target.value) },
    options.map(([key, text]) => element('option', { value: key, selected: key === value }, text)));
  return element('label', { class: 'field' }, element('span', {}, label), list);
}
