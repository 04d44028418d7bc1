import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ALL_GRANTS } from '../../../../src/people/access/principal.ts'
import { modelsOf } from '../../../../src/describe/client-code/native-models.ts'
import { writeKotlin } from '@quire/native-clients/write-kotlin'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { compile } from '../../../schema/define.ts'
import { ODD } from './odd-types.ts'

const SAMPLE = fileURLToPath(new URL('../../../../../content-types', import.meta.url))
const LOCALES = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }

/** Command line of `kotlinc`. Without it the test is skipped. */
const [COMPILER, ...WORDS] = (process.env['QUIRE_KOTLINC'] ?? '').split(' ').filter(Boolean)

describe('compiled code for devices', () => {
  it('is valid Kotlin', async function () {
    if (COMPILER === undefined) return this.skip()
    const folder = mkdtempSync(path.join(tmpdir(), 'quire-kotlin-'))
    try {
      const schemas = { Odd: compile(...ODD), Sample: await loadSchema(SAMPLE) }
      for (const [name, schema] of Object.entries(schemas)) {
        const file = path.join(folder, `${name}.kt`)
        writeFileSync(file, writeKotlin(modelsOf({ schema, locales: LOCALES, grants: ALL_GRANTS })))
        const built = [...WORDS, file, '-d', path.join(folder, name)]
        const { stderr } = await promisify(execFile)(COMPILER, built)
        expect(stderr).to.not.match(/error:/)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
