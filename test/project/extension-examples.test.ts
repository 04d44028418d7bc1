import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')

/** The options of a new project. */
const OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  paths: { '@quire/server': ['../src/server/public.d.ts'] },
}

interface Example {
  readonly page: string
  readonly text: string
}

/** The TypeScript blocks that import the server. */
async function extensionExamples(): Promise<readonly Example[]> {
  const names = await readdir(path.join(ROOT, 'docs'), { recursive: true })
  const pages = names.filter((name) => name.endsWith('.md')).sort()
  const texts = await Promise.all(
    pages.map(async (page) => ({
      page,
      text: await readFile(path.join(ROOT, 'docs', page), 'utf8'),
    })),
  )
  return texts.flatMap(({ page, text }) =>
    [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
      .map(([, block = '']) => ({ page, text: block }))
      .filter((block) => block.text.includes(`from '@quire/server'`)),
  )
}

describe('the extensions on pages of the docs', () => {
  let folder: string
  before(async () => {
    await mkdir(path.join(ROOT, 'dist'), { recursive: true })
    folder = await mkdtemp(path.join(ROOT, 'dist/extension-examples-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('compile against the types of @quire/server', async () => {
    const examples = await extensionExamples()
    const pages = new Set(examples.map(({ page }) => page))
    expect(pages).to.include('migrating.md')
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts', 'extensions/*.ts'] }),
    )
    const imported = examples.flatMap(({ text }) =>
      [...text.matchAll(/from '\.\/(extensions\/[\w-]+\.ts)'/g)].map(([, name = '']) => name),
    )
    await mkdir(path.join(folder, 'extensions'))
    for (const name of imported) {
      const text = `import { defineExtension } from '@quire/server'\nexport default defineExtension({ name: 'other' })\n`
      await writeFile(path.join(folder, name), text)
    }
    for (const [index, { page, text }] of examples.entries()) {
      const name = `${page.replaceAll(/\W/g, '-')}-${index}.ts`
      await writeFile(path.join(folder, name), text)
    }
    const run = promisify(execFile)(process.execPath, [TSC, '-p', folder])
    const errors = await run.then(
      () => '',
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    )
    expect(errors).to.equal('')
  })
})
