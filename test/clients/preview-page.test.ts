import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { codeBlocksOf } from '../support/pages.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  lib: ['es2022', 'dom'],
  types: [],
}

describe('the live preview of docs/content-types.md', () => {
  it('compiles as it is shown', async () => {
    const blocks = codeBlocksOf('docs/content-types.md').filter(({ language }) => language === 'ts')
    expect(blocks).to.have.length(1)
    const folder = await mkdtemp(path.join(ROOT, 'dist/preview-page-'))
    try {
      await writeFile(path.join(folder, 'site.mts'), blocks[0]?.text ?? '')
      const config = JSON.stringify({ compilerOptions: OPTIONS, include: ['*.mts'] })
      await writeFile(path.join(folder, 'tsconfig.json'), config)
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
      await promisify(execFile)(process.execPath, [tsc, '-p', folder])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
