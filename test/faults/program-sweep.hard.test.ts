import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Db } from 'mongodb'
import { CmsError, ConfigError } from '../../src/base/errors.ts'
import { isWork } from '../../tools/bench/src/wire/commands-of-requests.ts'
import { writeContentTypes } from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'
import { FAULT_TYPES } from './fault-operations.ts'
import { FAULT_PROGRAMS, type FaultProgram, type Place, withPlace } from './fault-programs.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { type FaultKind, SWEPT_KINDS } from './wire-fault-table.ts'

/** `all` tries each fault at each command, which takes half an hour. The default is one at each. */
const IS_WHOLE = process.env['QUIRE_TEST_WIRE_FAULTS'] === 'all'
const MAX_COMMANDS = 1_000

describe('a program with a failing command to the database', function () {
  this.slow(120_000)
  this.timeout(IS_WHOLE ? 3_600_000 : 600_000)
  const contentTypes = writeContentTypes(FAULT_TYPES as Readonly<Record<string, object>>)
  let direct: string
  let proxy: FaultProxy

  before(async () => {
    direct = await testUri()
    proxy = await openFaultProxy(direct, isWork)
  })
  after(async () => {
    await proxy.close()
    rmSync(contentTypes, { recursive: true, force: true })
  })

  const at = <T>(work: (place: Place, db: Db) => Promise<T>): Promise<T> =>
    withPlace({ direct, uri: proxy.uri, contentTypes }, work)

  const stateWithout = (program: FaultProgram): Promise<string> =>
    at(async (place, db) => {
      await program.prepare(place)
      await program.run(place)
      return JSON.stringify(await program.read(db, place))
    })

  interface Outcome {
    readonly isReached: boolean
    readonly isInjected: boolean
    readonly faults: readonly string[]
  }

  const attempt = (
    program: FaultProgram,
    kind: FaultKind,
    position: number,
    expected: string,
  ): Promise<Outcome> =>
    at(async (place, db) => {
      await program.prepare(place)
      let [isReached, command] = [false, '']
      proxy.arm((sent, count) => {
        isReached ||= count >= position
        if (count !== position || !kind.suits(sent)) return null
        command = Object.entries(sent).slice(0, 1).flat().join(' ')
        return kind.fault
      })
      const error: unknown = await program.run(place).then(
        () => null,
        (reason: unknown) => reason,
      )
      proxy.disarm()
      const faults: string[] = []
      if (error !== null && !isExplained(error)) faults.push(`fails with ${describeError(error)}`)
      if (error !== null) await program.run(place)
      const state = JSON.stringify(await program.read(db, place))
      if (state !== expected) faults.push(`leaves ${difference(state, expected)}`)
      const where = `${kind.name} at ${position}, ${command}`
      const isInjected = command !== ''
      return { isReached, isInjected, faults: faults.map((fault) => `${where}: ${fault}`) }
    })

  for (const program of FAULT_PROGRAMS) {
    it(`is complete after a repetition: ${program.name}`, async function () {
      const expected = await stateWithout(program)
      const faults: string[] = []
      let [injected, position, isReached] = [0, 0, true]
      while (isReached) {
        position += 1
        isReached = false
        const kinds = IS_WHOLE
          ? SWEPT_KINDS
          : SWEPT_KINDS.slice(position % SWEPT_KINDS.length).slice(0, 1)
        for (const kind of kinds) {
          const outcome = await attempt(program, kind, position, expected)
          isReached ||= outcome.isReached
          injected += Number(outcome.isInjected)
          faults.push(...outcome.faults)
        }
        if (position > MAX_COMMANDS) throw new Error('the program sends too many commands')
      }
      if (this.test) this.test.title += `, N = ${position - 1}, ${injected} faults`
      expect(faults, faults.join('\n')).to.be.empty
      expect(injected).to.be.above(position / 2)
    })
  }
})

/** Errors that the program shows as a sentence. Others are shown with their stack. */
const isExplained = (error: unknown): boolean =>
  error instanceof CmsError || error instanceof ConfigError

const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

const SHOWN = 200

function difference(state: string, expected: string): string {
  const at = Array.from(state).findIndex((one, index) => one !== expected[index])
  const shown = (text: string): string => text.slice(Math.max(at - SHOWN, 0), at + SHOWN)
  return `${shown(state)} instead of ${shown(expected)}`
}
