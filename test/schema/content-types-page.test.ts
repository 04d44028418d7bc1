import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { codeBlocksOf, readPage, ROOT } from '../support/pages.ts'
import { ATTRIBUTE_OPTIONS, COMMON_OPTIONS } from '../../src/schema/check/declaration-shape.ts'

describe('docs/content-types.md', () => {
  const page = readPage('docs/content-types.md')
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` +\| (`[^|]*`) +\|/gm)].map(([, type = '', options = '']) => [
      type,
      [...options.matchAll(/`(\w+)`/g)].map(([, option = '']) => option).sort(),
    ]),
  )

  it('has a row with the right options for each attribute type', () => {
    const declared = Object.fromEntries(
      Object.entries(ATTRIBUTE_OPTIONS).map(([type, options]) => [
        type,
        Object.keys(options)
          .filter((option) => !(option in COMMON_OPTIONS))
          .sort(),
      ]),
    )
    expect(Object.fromEntries(rows)).to.deep.equal(declared)
  })

  it('explains every option', () => {
    const options = Object.values(ATTRIBUTE_OPTIONS).flatMap((map) => Object.keys(map))
    const missing = [...new Set(options)].filter((option) => !page.includes(`\`${option}`))
    expect(missing).to.deep.equal([])
  })

  it('shows declarations that load', async () => {
    const [article = '', relations = '', user = ''] = codeBlocksOf('docs/content-types.md')
      .filter(({ language }) => language === 'json')
      .map(({ text }) => text)
    const [category, articles] = relations
      .trim()
      .split('\n')
      .map((line) => JSON.parse(`{${line}}`))
    const declared = JSON.parse(article)
    const names = { singularName: 'category', pluralName: 'categories', displayName: 'Category' }
    const schema = await load({
      'src/api/article/content-types/article/schema.json': {
        ...declared,
        attributes: { ...declared.attributes, ...category },
      },
      'src/api/category/content-types/category/schema.json': {
        kind: 'collectionType',
        info: names,
        attributes: articles,
      },
      'src/extensions/users-permissions/content-types/user/schema.json': JSON.parse(user),
    })
    expect([
      ...(schema.contentTypes.get('api::article.article')?.attributes.keys() ?? []),
    ]).to.include.members(['title', 'category'])
    const users = schema.contentTypes.get('plugin::users-permissions.user')
    expect([...(users?.attributes.keys() ?? [])]).to.include.members(['bio', 'age'])
    expect(schema.warnings).to.deep.equal([])
  })

  it('shows valid options of a content-type', async () => {
    const options = codeBlocksOf('docs/sharding.md').find(({ text }) => text.includes('"sharded"'))
    const attributes = { slug: { type: 'string', unique: true } }
    const schema = await load({ 'note.json': { ...JSON.parse(`{${options?.text}}`), attributes } })
    expect(schema.contentTypes.get('api::note.note')?.sharded).to.equal(true)
  })
})

describe('docs/queries.md', () => {
  for (const [index, name] of ['home-feed', 'articles-by-category'].entries()) {
    it(`shows the query ${name} of the sample`, () => {
      const shown = codeBlocksOf('docs/queries.md').filter(({ language }) => language === 'json')
      const file = readFileSync(join(ROOT, `content-types/queries/${name}.json`), 'utf8')
      expect(JSON.parse(shown[index]?.text ?? '')).to.deep.equal(JSON.parse(file))
    })
  }
})

/** Loads declarations by the names of their files. */
async function load(files: Readonly<Record<string, object>>): ReturnType<typeof loadSchema> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-content-types-page-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(content))
    }
    return await loadSchema(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
