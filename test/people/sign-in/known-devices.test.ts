import { expect } from 'chai'
import {
  type DeviceAccount,
  type KnownDevicesOptions,
  openKnownDevices,
} from '../../../src/people/sign-in/known-devices.ts'

const ADA: DeviceAccount = { id: 'a'.repeat(24), epoch: 1 }
const EVE: DeviceAccount = { id: 'e'.repeat(24), epoch: 1 }

function open(
  accounts: readonly DeviceAccount[],
  { secret = 'secret', kind = 'end users' }: Partial<KnownDevicesOptions> = {},
) {
  const findAccount = (id: string) =>
    Promise.resolve(accounts.find((account) => account.id === id) ?? null)
  return openKnownDevices({ secret, kind, findAccount })
}

describe('known devices', () => {
  const token = open([]).make(ADA)

  it('finds the device and its account for a token', async () => {
    const found = await open([ADA, EVE]).find(token)
    expect(found?.account).to.equal(ADA.id)
    expect(found?.id).to.match(/^[0-9a-f]{32}$/)
  })

  it('gives each device its own id', async () => {
    const devices = open([ADA])
    const again = await devices.find(devices.make(ADA))
    expect(again?.id).to.not.equal((await devices.find(token))?.id)
  })

  const [device = '', , signature = ''] = token.split('-')
  const invalid: readonly (readonly [string, ReturnType<typeof open>, string])[] = [
    ['after a new password', open([{ ...ADA, epoch: 2 }]), token],
    ['of a deleted account', open([EVE]), token],
    ['for another kind of account', open([ADA], { kind: 'administrators' }), token],
    ['with another secret', open([ADA], { secret: 'other' }), token],
    ['with a replaced account', open([ADA, EVE]), `${device}-${EVE.id}-${signature}`],
    ['with a replaced device', open([ADA]), `${'0'.repeat(32)}-${ADA.id}-${signature}`],
    ['with a truncated signature', open([ADA]), token.slice(0, -1)],
    ['without a signature', open([ADA]), `${device}-${ADA.id}-`],
    ['that is empty', open([ADA]), ''],
  ]
  for (const [label, devices, given] of invalid) {
    it(`refuses a token ${label}`, async () => {
      expect(await devices.find(given)).to.equal(null)
    })
  }
})
