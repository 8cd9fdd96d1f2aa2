// SPDX-License-Identifier: BSD-3-Clause
// node build.mjs OUT.cpp: bundles src/main.js with the charts it uses and src/style.css into
// src/page.html, and writes that page as the C++ function colltree::report_template(); what it read
// goes to OUT.cpp.d, for Ninja and make.
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [output] = process.argv.slice(2);
if (!output) {
  console.error('usage: node build.mjs OUT.cpp');
  process.exit(2);
}

const inputs = new Set();

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15'],
    charset: 'utf8',
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: here,
  });
  for (const input of Object.keys(result.metafile.inputs)) inputs.add(join(here, input));
  return result.outputFiles[0].text;
}

// What may not stand inside an HTML comment, script or style element.
const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

async function notices() {
  const packages = ['echarts', 'zrender', 'tslib'];
  const texts = [];
  for (const name of packages) {
    const folder = join(here, 'node_modules', name);
    const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const notice = await readFile(join(folder, 'NOTICE'), 'utf8').catch(() => '');
    texts.push(`${name} ${version}, ${license}\n${notice}`.trim());
  }
  return texts.join('\n\n').replaceAll('--', '- -');
}

async function page() {
  const parts = {
    STYLE: await bundle('style.css'),
    SCRIPT: inScript(await bundle('main.js')),
    NOTICES: await notices(),
  };
  const path = join(here, 'src', 'page.html');
  inputs.add(path);
  const html = await readFile(path, 'utf8');
  return html.replace(/@(STYLE|SCRIPT|NOTICES)@/g, (_, part) => parts[part]);
}

// UTF-8 bytes as adjacent string literals. Everything but plain ASCII in octal: three digits, so
// that what follows is never taken for a part of it.
function literals(text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let from = 0; from < bytes.length; from += 8192) {
    let line = '';
    for (const byte of bytes.subarray(from, from + 8192)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n');
}

const html = await page();
await writeFile(output, `// Made by web/report/build.mjs.
#include "report/page.h"

namespace colltree {

namespace {
constexpr char kPage[] =
${literals(html)};
}  // namespace

std::string_view report_template() { return {kPage, sizeof kPage - 1}; }

}  // namespace colltree
`);
const escaped = (path) => path.replaceAll(' ', '\\ ');
const own = [...inputs].filter((path) => !path.includes('node_modules'));
await writeFile(`${output}.d`, `${escaped(output)}: ${own.map(escaped).join(' ')}\n`);
console.log(`report page: ${(Buffer.byteLength(html) / 1024).toFixed(0)} KB`);
