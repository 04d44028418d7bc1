import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { keptJwtSecret } from '../../../src/people/access/jwt-secret.ts'

describe('keptJwtSecret', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-secret-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is created once by concurrent starts and is readable by its owner only', async () => {
    const data = join(folder, 'data')
    const secrets = await Promise.all(Array.from({ length: 10 }, () => keptJwtSecret(data)))
    expect(new Set(secrets).size).to.equal(1)
    expect(secrets[0]).to.match(/^[0-9a-f]{64}$/)
    expect(await keptJwtSecret(data)).to.equal(secrets[0])
    expect(await readdir(data)).to.deep.equal(['jwt-secret'])
    const { mode } = await stat(join(data, 'jwt-secret'))
    expect(mode & 0o777).to.equal(0o600)
  })

  it('refuses an empty secret file', async () => {
    await writeFile(join(folder, 'jwt-secret'), '\n')
    const failure = await keptJwtSecret(folder).then(
      () => null,
      (error: unknown) => String(error),
    )
    expect(failure).to.include('is empty')
  })
})
