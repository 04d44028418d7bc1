import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { claimFolder } from '../src/ownership.ts'
import { startEmbedded } from '../src/start-embedded.ts'
import { temporaryFolder } from './contract/targets.ts'
import { hideLastCommit } from './storage/hidden-commit.ts'

interface Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly role: string
  readonly uri: string
  kill(): Promise<void>
}

async function openInChild(directory: string): Promise<Child> {
  const child = spawn(process.execPath, [
    new URL(`./ownership-child${import.meta.url.slice(-3)}`, import.meta.url).pathname,
    directory,
  ])
  child.stderr.pipe(process.stderr)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('\n')) resolve(output.trim())
    })
    child.once('close', () => reject(new Error('the child ended')))
  })
  const [role = '', uri = ''] = line.split(' ')
  return {
    process: child,
    role,
    uri,
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}

describe('the ownership of a folder', () => {
  let directory: string
  const children: Child[] = []
  beforeEach(() => (directory = temporaryFolder()))
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()))
    rmSync(directory, { recursive: true, force: true })
  })

  const open = async (): Promise<Child> => {
    const child = await openInChild(directory)
    children.push(child)
    return child
  }

  it('makes the second process a guest of the first', async () => {
    const owner = await open()
    const engine = await startEmbedded({ directory })
    expect([owner.role, engine.role, engine.uri]).to.deep.equal(['owner', 'guest', owner.uri])
    const client = await MongoClient.connect(engine.uri)
    await client.db('a').collection('b').insertOne({ c: 1 })
    await client.close()
    await engine.close()
    const again = await startEmbedded({ directory })
    expect(again.role).to.equal('guest')
  })

  it('passes to another process when the owner is killed', async () => {
    const owner = await open()
    await owner.kill()
    const next = await startEmbedded({ directory })
    expect(next.role).to.equal('owner')
    await next.close()
  })

  it('passes to another process when the owner closes', async () => {
    const engine = await startEmbedded({ directory })
    await engine.close()
    expect((await open()).role).to.equal('owner')
  })

  it('goes to one of many processes that start at once', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => open()))
    expect(started.map(({ role }) => role).sort()).to.deep.equal([
      'guest',
      'guest',
      'guest',
      'guest',
      'owner',
    ])
    expect(new Set(started.map(({ uri }) => uri)).size).to.equal(1)
  })

  it('shares one engine within a process until the last closes', async () => {
    const [one, two] = await Promise.all([
      startEmbedded({ directory }),
      startEmbedded({ directory }),
    ])
    expect(one.uri).to.equal(two.uri)
    await one.close()
    await one.close()
    const client = await MongoClient.connect(two.uri)
    expect(await client.db('a').command({ ping: 1 })).to.include({ ok: 1 })
    await client.close()
    await two.close()
    const three = await startEmbedded({ directory })
    expect(three.role).to.equal('owner')
    await three.close()
  })

  it('is announced even if another process hides the claim', async () => {
    const claim = await claimFolder(directory)
    if (claim.role !== 'owner') throw new Error('a guest')
    hideLastCommit(directory, 'owner.mdb')
    await claim.announce('mongodb://here')
    expect(await claimFolder(directory)).to.deep.include({ role: 'guest', uri: 'mongodb://here' })
    await claim.release()
  })

  it('moves the socket if its path is too long', async () => {
    const deep = join(directory, 'x'.repeat(120))
    mkdirSync(deep)
    const engine = await startEmbedded({ directory: deep })
    const client = await MongoClient.connect(engine.uri)
    expect(await client.db('a').command({ ping: 1 })).to.include({ ok: 1 })
    await client.close()
    await engine.close()
  })
})
