import { cpSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Simulation } from '../core/simulation.ts'
import type { Audit } from '../guests/auditor.ts'
import type { DeviceOptions, DeviceRows } from '../guests/device.ts'
import type { EditedDocument } from '../guests/editor-documents.ts'
import type { EngineOptions, MajorityChange } from '../guests/engine.ts'
import type { ReceivedHook } from '../guests/receiver.ts'
import type { ServerOptions } from '../guests/server.ts'
import type { FaultyDisk } from '../host/faulty-disk.ts'
import type { Network } from '../host/network.ts'
import { openRandom, type Random } from '../core/random.ts'
import type { Programs } from './programs.ts'
import { Slot } from './slot.ts'

const TOKEN = 'root-token'
const DATABASE = 'quire'
const ENGINE_PATH = '/engine.sock'
const DATABASE_URI = `mongodb://${encodeURIComponent(ENGINE_PATH)}/?directConnection=true`
const RECEIVER = { host: 'receiver', port: 80 }
const LOCALES = ['fr', 'de']
const PORT = 1337

export interface WorldOptions {
  readonly simulation: Simulation
  readonly network: Network
  readonly disk: FaultyDisk
  readonly programs: Programs
  readonly resetDriver: () => void
  /** With the content-types in `types`. */
  readonly folder: string
}

export interface Finding {
  readonly name: string
  readonly status: DeviceOptions['status']
  rows: DeviceRows | null
}

/** All programs of a run, and the facts that they collect. */
export class World {
  readonly options: WorldOptions
  readonly engine: Slot
  readonly servers: readonly Slot[]
  readonly receiver: Slot
  readonly devices: Slot[] = []
  readonly editors: Slot[] = []
  readonly documents: EditedDocument[][] = []
  readonly received: ReceivedHook[] = []
  readonly findings: Finding[] = []
  audit: Audit | null = null
  isOver = false
  #engineStarts = 0
  #isReady = false

  constructor(options: WorldOptions) {
    this.options = options
    this.engine = this.#openEngine()
    const { random } = options.simulation
    const count = random.pick([1, 1, 2, 2, 3])
    this.servers = Array.from({ length: count }, (_, index) => this.#openServer(index + 1))
    this.receiver = this.#slot('receiver', 'receiver', () => ({
      ...RECEIVER,
      random: this.#random('receiver'),
      received: this.received,
    }))
  }

  get clients(): readonly Slot[] {
    return [...this.devices, this.receiver]
  }

  /** Starts the engine and the servers, and calls back when the content is there. */
  start(ready: () => void): void {
    const { simulation } = this.options
    this.engine.start()
    this.receiver.start()
    for (const server of this.servers) server.start()
    const setup = this.#slot(
      'setup',
      'setup',
      () => ({
        url: this.#urls[0],
        token: TOKEN,
        locales: LOCALES,
        isOrdered: simulation.random.chance(0.5),
        hookUrl: `http://${RECEIVER.host}:${RECEIVER.port}`,
      }),
      (result) => {
        simulation.note('ready')
        this.#isReady = true
        this.#openClients(tagsOf(result))
        ready()
      },
    )
    setup.start()
  }

  restartEngine(): void {
    if (this.engine.process.isAlive) return
    const { folder } = this.options
    const before = path.join(folder, `data-${this.#engineStarts}`)
    this.#engineStarts += 1
    const after = path.join(folder, `data-${this.#engineStarts}`)
    mkdirSync(after)
    // The file of a killed engine stays mapped in this process, so the next engine gets a copy.
    cpSync(path.join(before, 'data.mdb'), path.join(after, 'data.mdb'))
    this.engine.start()
  }

  holdMajority(how: MajorityChange): void {
    this.engine.call('holdMajority', [how])
  }

  startAudit(): void {
    const { folder } = this.options
    const auditor = this.#slot(
      'auditor',
      'auditor',
      () => ({
        databaseUri: DATABASE_URI,
        database: DATABASE,
        contentTypesDir: path.join(folder, 'types'),
      }),
      (result) => {
        this.audit = result as Audit
      },
    )
    auditor.start()
  }

  finishDevices(): void {
    for (const [index, device] of this.devices.entries()) {
      device.call('finish', [], (result) => {
        const finding = this.findings[index]
        if (finding !== undefined) finding.rows = result as DeviceRows
      })
    }
  }

  get #urls(): readonly string[] {
    return this.servers.map(({ name }) => `http://${name}:${PORT}`)
  }

  #random(stream: string): Random {
    return openRandom(this.options.simulation.seed, stream)
  }

  #slot(
    name: string,
    program: keyof Programs,
    prepare: () => object,
    onStarted: (result: unknown) => void = () => undefined,
  ): Slot {
    const { simulation, programs, resetDriver: beforeStart } = this.options
    return new Slot(simulation, {
      name,
      program: programs[program],
      prepare,
      onStarted,
      isRestarted: true,
      beforeStart,
    })
  }

  #openEngine(): Slot {
    const { simulation, programs, disk, folder, resetDriver: beforeStart } = this.options
    return new Slot(simulation, {
      name: 'engine',
      program: programs.engine,
      replaced: disk.replaced,
      beforeStart,
      isRestarted: true,
      prepare: (): EngineOptions => ({
        directory: path.join(folder, `data-${this.#engineStarts}`),
        path: ENGINE_PATH,
        note: (text) => simulation.note(text),
      }),
    })
  }

  #openServer(number: number): Slot {
    const { folder } = this.options
    const name = `server-${number}`
    return this.#slot(name, 'server', (): ServerOptions => ({
      databaseUri: DATABASE_URI,
      log: (line) => this.#readLog(line.trimEnd()),
      env: {
        HOST: name,
        PORT: String(PORT),
        CONTENT_TYPES_DIR: path.join(folder, 'types'),
        QUIRE_DATA_DIR: path.join(folder, name),
        MONGODB_DATABASE: DATABASE,
        ROOT_API_TOKEN: TOKEN,
        JWT_SECRET: 'secret of the simulation',
        UPLOAD_STORAGE: 'gridfs',
        RATE_LIMIT: 'off',
        WEBHOOK_ALLOW_HOSTS: RECEIVER.host,
        LOG_LEVEL: 'info',
      },
    }))
  }

  /** After the setup, a start must leave the indexes as they are. */
  #readLog(line: string): void {
    const { simulation } = this.options
    if (this.#isReady && line.includes('Indexes synced')) simulation.violate(line)
    else if (!line.startsWith('{"level":30')) simulation.note(line)
  }

  #openClients(tags: readonly string[]): void {
    const { simulation, folder } = this.options
    const { random } = simulation
    const editors = random.pick([1, 1, 2, 3])
    for (let number = 1; number <= editors; number += 1) {
      const name = `editor-${number}`
      const documents: EditedDocument[] = []
      this.documents.push(documents)
      const editor = this.#slot(name, 'editor', () => ({
        name,
        urls: this.#urls,
        token: TOKEN,
        tags,
        random: this.#random(name),
        isOver: () => this.isOver,
        note: (text: string) => simulation.note(text),
        violate: (text: string) => simulation.violate(text),
        documents,
      }))
      this.editors.push(editor)
    }
    for (const status of ['draft', 'published'] as const) {
      const name = `device-${status}`
      const kept = {}
      const limit = random.pick([2, 5, 500])
      this.findings.push({ name, status, rows: null })
      const prepare = (): DeviceOptions => ({
        url: random.pick(this.#urls),
        token: TOKEN,
        contentTypesDir: path.join(folder, 'types'),
        status,
        limit,
        kept,
      })
      this.devices.push(this.#slot(name, 'device', prepare))
    }
    for (const slot of [...this.editors, ...this.devices]) slot.start()
  }
}

function tagsOf(result: unknown): readonly string[] {
  const { tags } = result as { readonly tags: readonly string[] }
  return tags
}
