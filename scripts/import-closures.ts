import { readFile } from 'node:fs/promises'
import { join, normalize } from 'node:path'

// `node dist/scripts/import-closures.js [FILE…]` prints how many files of `src` a reader of a path has to load: the
// files that its entry reaches by imports, type imports included, and their lines without comments and blank lines.

const PATHS: Readonly<Record<string, string>> = {
  list: 'content/read/find-documents.ts',
  create: 'content/write/create-document.ts',
  update: 'content/write/update-document.ts',
  publish: 'content/write/publish-document.ts',
  sync: 'http/sync/sync-routes.ts',
  'webhook delivery': 'changes/webhooks/deliver.ts',
}

const SOURCE = 'src'
const IMPORT = /^(?:import|export)\b[^'"]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'/gm
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

async function closureOf(entry: string): Promise<ReadonlyMap<string, number>> {
  const lines = new Map<string, number>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (lines.has(file)) continue
    const text = await readFile(join(SOURCE, file), 'utf8')
    lines.set(file, codeLinesOf(text))
    for (const [, from, bare] of text.matchAll(IMPORT)) {
      waiting.push(normalize(join(file, '..', from ?? bare ?? '')))
    }
  }
  return lines
}

function codeLinesOf(text: string): number {
  return text
    .replace(COMMENT, '')
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

const given = process.argv.slice(2)
const shown = given.length > 0 ? given.map((file) => [file, file]) : Object.entries(PATHS)
for (const [name = '', entry = ''] of shown) {
  const lines = [...(await closureOf(entry)).values()]
  const total = lines.reduce((sum, each) => sum + each, 0)
  console.log(`${name.padEnd(18)}${String(lines.length).padStart(5)} files ${total} lines`)
}
