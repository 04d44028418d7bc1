import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import * as prettier from 'prettier'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { SAMPLE_LOCALES } from '../../packages/bench/src/sample/sample-locales.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

describe('the types of the example app', () => {
  it('equals the current output of `quire client ts --role public`', async () => {
    const file = path.join(ROOT, 'examples/atlas/src/content.ts')
    const grants = new Set(
      ['article', 'category', 'country'].map((name) => `api::${name}.${name}.find`),
    )
    const schema = await loadSchema(path.join(ROOT, 'content-types'))
    const all = SAMPLE_LOCALES.map(({ code }) => ({ code }))
    const has = (code: string): boolean => all.some((locale) => locale.code === code)
    const text = writeTypeScript({ schema, locales: { defaultCode: 'en', all, has }, grants })
    const options = { ...(await prettier.resolveConfig(file)), filepath: file }
    expect(await readFile(file, 'utf8')).to.equal(await prettier.format(text, options))
  })
})
