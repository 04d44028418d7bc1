import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { withEnvFile } from '../../../src/base/config/env-file.ts'

describe('withEnvFile', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quire-env-'))
  })
  afterEach(() => {
    rmSync(dir, { recursive: true })
  })

  it('adds variables of the file but prefers the environment', () => {
    writeFileSync(join(dir, '.env'), 'PORT=8080\n# a note\nHOST="127.0.0.1"\n')
    const env = withEnvFile({ PORT: '9090' }, join(dir, '.env'))
    expect(env).to.deep.equal({ PORT: '9090', HOST: '127.0.0.1' })
  })

  it('returns the environment unchanged without a file', () => {
    expect(withEnvFile({ PORT: '1' }, join(dir, '.env'))).to.deep.equal({ PORT: '1' })
  })
})
