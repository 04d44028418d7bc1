import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../src/base/config/config.ts'
import { chooseDeployment } from '../../../src/server/deployment/choose-deployment.ts'
import type { Starters } from '../../../src/server/deployment/choose-deployment.ts'
import type { Deployment, DeploymentLog } from '../../../src/server/deployment/deployment.ts'
import { ConfigError } from '../../../src/base/errors.ts'

const silent: DeploymentLog = { info() {}, warn() {}, error() {} }

describe('chooseDeployment', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quire-choose-'))
  })
  afterEach(() => {
    rmSync(dir, { recursive: true })
  })

  function starters(mongod: 'runs' | 'unavailable'): Starters & { readonly calls: string[] } {
    const calls: string[] = []
    const close = (): Promise<void> => Promise.resolve(void calls.push('close'))
    return {
      calls,
      startMongod: (directory) => {
        calls.push(`mongod ${directory}`)
        return Promise.resolve(
          mongod === 'runs'
            ? { uri: 'mongodb://m', what: 'mongod 8.0.4 on the PATH', close }
            : { unavailable: 'there is no mongod' },
        )
      },
      startEmbedded: ({ directory }) => {
        calls.push(`embedded ${directory}`)
        return Promise.resolve({ uri: 'mongodb://e', role: 'owner', close })
      },
    }
  }

  function choose(env: Record<string, string>, parts: Starters): Promise<Deployment> {
    return chooseDeployment(readConfig({ QUIRE_DATA_DIR: dir, ...env }), silent, parts)
  }

  async function refused(env: Record<string, string>): Promise<string> {
    const outcome = await choose(env, starters('unavailable')).catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(ConfigError)
    return (outcome as ConfigError).faults.join()
  }

  it('prefers MONGODB_URI and never shows its credentials', async () => {
    const parts = starters('runs')
    const uri = 'mongodb://u:hunter2@a.example:1,b.example/x?replicaSet=r'
    const deployment = await choose({ MONGODB_URI: uri }, parts)
    expect(deployment).to.include({ kind: 'uri', uri })
    expect(deployment.reason).to.equal('the deployment of MONGODB_URI (a.example:1,b.example)')
    await deployment.close()
    expect(parts.calls).to.deep.equal([])
  })

  it('starts mongod without a MONGODB_URI', async () => {
    const parts = starters('runs')
    const deployment = await choose({}, parts)
    expect(deployment).to.include({ kind: 'mongod', uri: 'mongodb://m' })
    expect(deployment.reason).to.equal(`mongod 8.0.4 on the PATH, data in ${join(dir, 'mongod')}`)
    await deployment.close()
    expect(parts.calls).to.deep.equal([`mongod ${join(dir, 'mongod')}`, 'close'])
  })

  it('falls back to the embedded engine and gives the reason', async () => {
    const deployment = await choose({}, starters('unavailable'))
    expect(deployment).to.include({ kind: 'embedded', uri: 'mongodb://e' })
    expect(deployment.reason)
      .to.include(join(dir, 'embedded'))
      .and.include('because there is no mongod')
  })

  it('obeys QUIRE_DATABASE even if MONGODB_URI is set', async () => {
    const env = { MONGODB_URI: 'mongodb://h' }
    const kinds: string[] = []
    for (const kind of ['uri', 'mongod', 'embedded']) {
      kinds.push((await choose({ ...env, QUIRE_DATABASE: kind }, starters('runs'))).kind)
    }
    expect(kinds).to.deep.equal(['uri', 'mongod', 'embedded'])
  })

  describe('in production', () => {
    const production = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(40) }

    it('names the three settings to choose a database by', () => {
      expect(() => readConfig(production))
        .to.throw(ConfigError, 'MONGODB_URI: must be given')
        .with.property('message')
        .that.includes('QUIRE_DATABASE=mongod')
        .and.includes('QUIRE_DATABASE=embedded')
    })

    it('starts each requested database', async () => {
      const asked = [
        { MONGODB_URI: 'mongodb://h' },
        { QUIRE_DATABASE: 'mongod' },
        { QUIRE_DATABASE: 'embedded' },
      ]
      const kinds: string[] = []
      for (const env of asked)
        kinds.push((await choose({ ...production, ...env }, starters('runs'))).kind)
      expect(kinds).to.deep.equal(['uri', 'mongod', 'embedded'])
    })
  })

  it('fails if the requested mongod is unavailable', async () => {
    const fault = await refused({ QUIRE_DATABASE: 'mongod' })
    expect(fault).to.equal('QUIRE_DATABASE: it asks for mongod, but there is no mongod')
  })

  it('stays with the embedded engine if its folder holds the data', async () => {
    mkdirSync(join(dir, 'embedded'))
    writeFileSync(join(dir, 'embedded', 'data.mdb'), '')
    const deployment = await choose({}, starters('runs'))
    expect(deployment.kind).to.equal('embedded')
    expect(deployment.reason).to.include('its folder holds the data')
  })

  it('prefers mongod if both folders hold data', async () => {
    mkdirSync(join(dir, 'embedded'))
    writeFileSync(join(dir, 'embedded', 'data.mdb'), '')
    writeFileSync(join(dir, 'mongod.json'), '{}')
    expect((await choose({}, starters('runs'))).kind).to.equal('mongod')
  })

  it('refuses to start empty if mongod holds the data but is unavailable', async () => {
    writeFileSync(join(dir, 'mongod.json'), '{}')
    const fault = await refused({})
    expect(fault).to.include('holds the data, but there is no mongod')
    expect(fault).to.include('QUIRE_DATABASE=embedded')
  })
})
