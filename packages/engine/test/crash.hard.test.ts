import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { Document } from 'mongodb'
import { startEmbedded } from '../src/start-embedded.ts'
import { temporaryFolder } from './contract/targets.ts'

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 6)

/** Kills the child after this number of lines. Returns the acknowledged writes. */
function runAndKill(directory: string, round: number, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        new URL(`./crash-child${import.meta.url.slice(-3)}`, import.meta.url).pathname,
        directory,
        String(round),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.split('\n').length > lines) child.kill('SIGKILL')
    })
    child.on('error', reject)
    // A truncated line does not count as acknowledged.
    child.on('close', () => resolve(output.split('\n').slice(0, -1)))
  })
}

describe('the embedded engine after kill -9', () => {
  let directory: string
  before(() => (directory = temporaryFolder()))
  after(() => rmSync(directory, { recursive: true, force: true }))

  it('contains every acknowledged write once', async () => {
    const inserted = new Set<string>()
    const updated = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const line of await runAndKill(directory, round, 2 + Math.floor(Math.random() * 300))) {
        const [kind, id = ''] = line.split(' ')
        if (kind === 'i') inserted.add(id)
        if (kind === 'u') updated.add(id)
      }
    }
    const engine = await startEmbedded({ directory })
    const client = await MongoClient.connect(engine.uri)
    const rows = client.db('crash').collection<Document & { _id: string }>('rows')
    const found = new Map((await rows.find().toArray()).map((row) => [row._id, row]))
    expect(inserted.size).to.be.greaterThan(10)
    for (const id of inserted) expect(found.has(id), `lost ${id}`).to.equal(true)
    for (const id of updated)
      expect(found.get(id)).to.deep.equal({ _id: id, key: `moved-${id}`, n: 1 })
    expect(await rows.countDocuments({})).to.equal(found.size)
    for (const row of found.values()) {
      expect(row['n']).to.be.oneOf([0, 1])
      expect(
        await rows.find({ key: row['key'] as string }).toArray(),
        'by its unique index',
      ).to.have.length(1)
    }
    const byIndex = await rows
      .find({ n: { $gte: 0 } })
      .sort({ n: 1 })
      .toArray()
    expect(byIndex).to.have.length(found.size)
    expect(await rows.countDocuments({ key: { $regex: '^key-' } })).to.equal(
      [...found.values()].filter(({ n }) => n === 0).length,
    )
    await client.close()
    await engine.close()
  })
})
