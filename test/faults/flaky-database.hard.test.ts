import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { testUri } from '../support/test-database.ts'
import { type FaultPlan, type FaultProxy, openFaultProxy, type WireFault } from './fault-proxy.ts'
import { type LoadedServers, startLoadedServers } from './loaded-servers.ts'
import { FAULT_KINDS, STEPPED_DOWN } from './wire-fault-table.ts'

/** Acknowledged writes in each part of the test. */
const WRITES = Number(process.env['QUIRE_TEST_FLAKY_WRITES'] ?? 40)
/** The share of failing commands of the load. */
const RATE = 0.03
const STEP_DOWN_MS = 1_000
const MAX_WAIT_MS = 90_000

describe('a database with occasional failing commands under load', function () {
  this.timeout(600_000)
  this.slow(20_000)
  let proxy: FaultProxy
  let servers: LoadedServers

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    servers = await startLoadedServers(proxy.uri)
  })

  after(async () => {
    proxy.disarm()
    await servers.remove()
    await proxy.close()
  })

  const sometimes: FaultPlan = (command) => (Math.random() < RATE ? anyFaultOf(command) : null)

  it('still acknowledges writes', async () => {
    await servers.untilServed(WRITES, MAX_WAIT_MS)
    proxy.arm(sometimes)
    await servers.untilServed(WRITES, MAX_WAIT_MS)
    proxy.disarm()
  })

  it('serves again after its primary has stepped down', async () => {
    const missed = servers.untilMissed(5, MAX_WAIT_MS)
    proxy.arm(() => STEPPED_DOWN)
    await Promise.all([missed, wait(STEP_DOWN_MS)])
    proxy.disarm()
    await servers.untilServed(WRITES, MAX_WAIT_MS)
  })

  it('has lost no acknowledged write', async () => {
    expect(await servers.faults()).to.deep.equal([])
  })
})

function anyFaultOf(command: Document): WireFault | null {
  const suited = FAULT_KINDS.filter(({ suits }) => suits(command))
  return suited[Math.floor(Math.random() * suited.length)]?.fault ?? null
}
