import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import * as prettier from 'prettier'
import type { Grants } from '../../src/people/access/principal.ts'
import type { Role } from '../../src/people/access/role-rows.ts'
import { describedGrants } from '../../src/describe/described-grants.ts'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { SAMPLE_LOCALES } from '../../tools/bench/src/sample/sample-locales.ts'
import { compile, typeFile } from '../schema/define.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

describe('the types of the example app', () => {
  it('equals the current output of `quire client ts --role authenticated`', async () => {
    const file = path.join(ROOT, 'examples/atlas/src/content.ts')
    const access = JSON.parse(
      await readFile(path.join(ROOT, 'examples/atlas/access.json'), 'utf8'),
    ) as { roles: { authenticated: Pick<Role, 'permissions' | 'rules'> } }
    const schema = await loadSchema(path.join(ROOT, 'content-types'))
    const all = SAMPLE_LOCALES.map(({ code }) => ({ code }))
    const has = (code: string): boolean => all.some((locale) => locale.code === code)
    const role = { type: 'authenticated', ...access.roles.authenticated }
    const grants = describedGrants(schema, role)
    const text = writeTypeScript({ schema, locales: { defaultCode: 'en', all, has }, grants })
    const options = { ...(await prettier.resolveConfig(file)), filepath: file }
    expect(await readFile(file, 'utf8')).to.equal(await prettier.format(text, options))
  })
})

describe('the generated types of writes', () => {
  const schema = compile(
    typeFile('note', {
      text: { type: 'text', required: true },
      owner: { type: 'string', required: true },
    }),
  )
  const locales = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }
  const action = 'api::note.note.create'
  const rule = {
    action,
    source: 'authenticated',
    rule: { where: null, fields: null },
    where: null,
    fields: null,
    set: { owner: 'anna' },
  }

  it('require the attributes that no rule of the role sets', () => {
    const rulesFor = (asked: string) => (asked === action ? [rule] : [])
    const rules = { digest: '', personal: new Set<string>(), rulesFor }
    const grants = { has: (asked: string) => asked !== action, rules }
    const text = writeTypeScript({ schema, locales, grants: grants as unknown as Grants })
    expect(/ {2}create: \{(.*?)\}/s.exec(text)?.[1]).to.equal(
      '\n    text: string\n    owner?: string\n  ',
    )
    const all = writeTypeScript({ schema, locales, grants: { has: () => true } })
    expect(/ {2}create: \{(.*?)\}/s.exec(all)?.[1]).to.equal(
      '\n    text: string\n    owner: string\n  ',
    )
  })
})
