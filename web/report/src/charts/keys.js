// SPDX-License-Identifier: BSD-3-Clause
// A map without a mouse: arrows move over the measured instances, Home and End along the message
// sizes, Page Up and Page Down along the communicator sizes, Enter pins, Escape releases.

const kMoves = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0],
  Home: [0, -Infinity], End: [0, Infinity], PageUp: [Infinity, 0], PageDown: [-Infinity, 0],
};

// From (row, column) as far as the step says, over cells that were not measured.
function target(grid, [row, column], [up, right]) {
  const steps = Math.max(Math.abs(up), Math.abs(right));
  let found;
  for (let k = 1; k <= steps; ++k) {
    const r = row + Math.sign(up) * k;
    const c = column + Math.sign(right) * k;
    if (r < 0 || c < 0 || r >= grid.rows.length || c >= grid.columns.length) break;
    found = grid.at(r, c) ?? found;
  }
  for (let k = 2; found === undefined && steps === 1 && k <= Math.max(grid.rows.length, grid.columns.length); ++k) {
    found = grid.at(row + up * k, column + right * k);
  }
  return found;
}

export function moveByKey(event, view) {
  const { state, grid, at } = view;
  if (event.key === 'Enter' || event.key === ' ') state.set({ pinned: !state.get('pinned') });
  else if (event.key === 'Escape') state.set({ pinned: false });
  else if (kMoves[event.key]) {
    const found = target(grid, grid.where(at), kMoves[event.key]);
    if (found !== undefined) state.set({ at: found });
  } else return;
  event.preventDefault();
}
