import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ALL_GRANTS, type Grants } from '../../../../src/people/access/principal.ts'
import { identifiersFor } from '@quire/native-clients/identifiers'
import type { Code } from '@quire/native-clients/code'
import { modelsOf } from '../../../../src/describe/client-code/native-models.ts'
import { writeDart } from '@quire/native-clients/write-dart'
import { writeKotlin } from '@quire/native-clients/write-kotlin'
import { writeSwift } from '@quire/native-clients/write-swift'
import type { Schema } from '../../../../src/schema/plan.ts'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { compile } from '../../../schema/define.ts'
import { ODD } from './odd-types.ts'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))
const GOLDEN = path.join(ROOT, 'test/describe/client-code/native/golden')
const LOCALES = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }

const LANGUAGES: Readonly<Record<string, (code: Code) => string>> = {
  swift: writeSwift,
  kt: writeKotlin,
  dart: writeDart,
}

function codeOf(schema: Schema, grants: Grants = ALL_GRANTS): Code {
  return modelsOf({ schema, locales: LOCALES, grants })
}

describe('code for devices', () => {
  for (const [extension, write] of Object.entries(LANGUAGES)) {
    it(`matches the reviewed file odd.${extension}`, () => {
      const file = path.join(GOLDEN, `odd.${extension}.txt`)
      const text = write(codeOf(compile(...ODD)))
      if (process.env['QUIRE_GOLDEN'] === 'write') writeFileSync(file, text)
      expect(text).to.equal(readFileSync(file, 'utf8'))
      expect(text).to.not.include('secret')
    })
  }

  it('contains only the types and queries that a role may read', async () => {
    const schema = await loadSchema(path.join(ROOT, 'content-types'))
    const grants = new Set(['api::category.category.find', 'query::country-by-code'])
    for (const write of Object.values(LANGUAGES)) {
      const text = write(codeOf(schema, grants))
      expect(text)
        .to.match(/class CategoryModel\b/)
        .and.to.match(/countryByCode/)
      expect(text).to.not.match(/class Article\b|class City\b|homeFeed/)
    }
  })

  it('names the package of Kotlin', () => {
    const code = codeOf(compile(...ODD))
    expect(writeKotlin(code)).to.match(/^package quire$/m)
    expect(writeKotlin(code, 'com.example.content')).to.match(/^package com\.example\.content$/m)
  })

  it('turns names into unique valid identifiers', () => {
    const naming = { reserved: new Set(['class']), escape: (name: string) => `\`${name}\`` }
    const texts = ['class', 'meta-title', 'meta_title', '3D', '', '§', 'URLPath', 'readingMinutes']
    expect(identifiersFor(texts, naming)).to.deep.equal([
      '`class`',
      'metaTitle',
      'metaTitle2',
      'value3D',
      'empty',
      'empty2',
      'urlPath',
      'readingMinutes',
    ])
  })

  it('escapes strings for each language', () => {
    const odd = { name: 'Odd', values: ['a"\\$\n'] }
    const code = { enumerations: [odd], models: [], unions: [], queries: [] }
    expect(writeSwift(code)).to.include(String.raw`Odd(rawValue: "a\"\\$\u{000a}")`)
    expect(writeKotlin(code)).to.include(String.raw`Odd("a\"\\\$\u000a")`)
    expect(writeDart(code)).to.include(String.raw`Odd("a\"\\\$\u000a")`)
  })
})
