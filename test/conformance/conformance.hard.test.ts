import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { mergeDeviations } from './merge-deviations.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const SCRIPT = fileURLToPath(new URL('conformance.js', import.meta.url))

// A minimal suite. Its runner prints its arguments and sends one request.
const RUNNER = `
import fs from 'node:fs'
const args = process.argv.slice(2)
const value = (name) => args[args.indexOf(name) + 1]
const read = (name) => JSON.parse(fs.readFileSync(value(name), 'utf8'))
const answer = await fetch(value('--base') + '/api/notes', { headers: { authorization: 'Bearer ' + read('--tokens').root } })
console.log(JSON.stringify({ status: answer.status, deviations: read('--deviations'), options: args.slice(args.indexOf('--areas-report') + 1) }))
if (args.includes('hang')) setInterval(() => {}, 1000)
else process.exitCode = 3
`
const PREPARE = `
import fs from 'node:fs'
const args = process.argv.slice(2)
fs.writeFileSync(args[args.indexOf('--out') + 1], JSON.stringify({ root: args[args.indexOf('--root-token') + 1] }))
`

describe('npm run conformance', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-test-suite-'))
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function writeSuite(): void {
    for (const name of ['cases', 'content-types', 'temp']) mkdirSync(path.join(folder, name))
    const files = {
      'run.mjs': RUNNER,
      'prepare.mjs': PREPARE,
      'deviations.json': JSON.stringify({ 'a.case': { difference: 1, why: 'because' } }),
      'content-types/note.json': JSON.stringify({
        kind: 'collectionType',
        info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
        attributes: { text: { type: 'string' } },
      }),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  }

  async function start(args: readonly string[]): Promise<{
    readonly output: () => string
    readonly kill: () => void
    readonly ended: Promise<readonly [number | null]>
  }> {
    const child = spawn(process.execPath, [SCRIPT, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        TMPDIR: path.join(folder, 'temp'),
        CONFORMANCE_DIR: folder,
        MONGODB_URI: await testUri(),
      },
    })
    const chunks: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    }
    const ended = once(child, 'close') as Promise<[number | null]>
    return { output: () => chunks.join(''), kill: () => void child.kill('SIGTERM'), ended }
  }

  it('runs the suite against its own server and cleans up', async () => {
    writeSuite()
    const run = await start(['--area', 'locale'])
    const [status] = await run.ended
    expect(status, run.output()).to.equal(3)
    const said = run.output().match(/^\{"status".*$/m)?.[0] ?? '{}'
    expect(JSON.parse(said)).to.have.property('status', 200)
    expect(JSON.parse(said)).to.have.deep.property('options', ['--area', 'locale'])
    expect(JSON.parse(said)).to.have.nested.property('deviations.a\\.case.why', 'because')
    expect(readdirSync(path.join(folder, 'temp'))).to.deep.equal([])
  })

  it('stops its server and removes its folder on a signal', async () => {
    writeSuite()
    const run = await start(['hang'])
    await until(() => run.output().includes('"status":200'), 50_000, run.output)
    run.kill()
    await run.ended
    expect(readdirSync(path.join(folder, 'temp'))).to.deep.equal([])
  })

  it('reports the missing suite and how to set its folder', async () => {
    const run = await start([])
    const [status] = await run.ended
    expect(status).to.equal(1)
    expect(run.output()).to.include(folder).and.include('CONFORMANCE_DIR')
  })

  it('merges the existing deviations', () => {
    const one = path.join(folder, 'one.json')
    const two = path.join(folder, 'two.json')
    writeFileSync(one, JSON.stringify({ a: { why: '1' }, b: { why: '1' } }))
    writeFileSync(two, JSON.stringify({ b: { why: '2' } }))
    expect(mergeDeviations([one, path.join(folder, 'none.json'), two])).to.deep.equal({
      a: { why: '1' },
      b: { why: '2' },
    })
  })
})
