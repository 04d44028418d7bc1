import { existsSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { keepTypes } from '../../../src/cli/dev/keep-types.ts'
import { declare } from '../../support/server.ts'
import { writeContentTypes } from '../../support/server-process.ts'

describe('keepTypes', () => {
  const types = writeContentTypes({ article: declare('article', { title: { type: 'string' } }) })
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'quire-keep-types-')), 'quire-types.d.ts')

  it('writes nothing if the project has no such file', async () => {
    await keepTypes(types, file)
    expect(existsSync(file)).to.equal(false)
  })

  it('updates an outdated file, and leaves a current one', async () => {
    writeFileSync(file, 'export {}')
    await keepTypes(types, file)
    expect(readFileSync(file, 'utf8')).to.include('articles: DocumentService<Article,')
    utimesSync(file, new Date(0), new Date(0))
    await keepTypes(types, file)
    expect(statSync(file).mtimeMs).to.equal(0)
  })
})
