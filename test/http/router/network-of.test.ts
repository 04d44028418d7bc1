import { expect } from 'chai'
import { networkOf } from '../../../src/http/router/network-of.ts'

describe('networkOf', () => {
  it('maps addresses of the same network to the same key', () => {
    for (const [address, network] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['2001:DB8:1:2::9', '2001:db8:1:2'],
      ['2001:db8::9', '2001:db8:0:0'],
      ['::1', '0:0:0:0'],
      ['192.0.2.7:443', '192.0.2.7'],
      ['[2001:db8:1:2::9]:443', '2001:db8:1:2'],
      ['[2001:db8:1:2::9]', '2001:db8:1:2'],
      ['[::ffff:192.0.2.7]:80', '192.0.2.7'],
      ['', ''],
    ] as const) {
      expect(networkOf(address), address).to.equal(network)
    }
  })
})
