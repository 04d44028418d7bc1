import { type LookupFunction } from 'node:net'
import { expect } from 'chai'
import {
  InnerAddressError,
  isInnerAddress,
  isInnerHost,
  lookUpOutside,
} from '../../src/base/inner-address.ts'

const OUTER = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0
  126.255.255.255 128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 192.0.1.1 192.167.0.1 192.169.0.1
  198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 2a00:1450::1
  2400:cb00::1 2003::1`

const INNER = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1
  198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1
  ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1::
  2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1
  fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1`

/** Spellings that a URL may contain. */
const SPELLINGS = `127.1 0x7f000001 0x7f.1 0177.1 2130706433 017700000001 0 00 0x0 127.0.0.1. 0xa9fea9fe
  10.1 3232235777 [::127.0.0.1] [0:0:0:0:0:0:0:1] [::FFFF:127.0.0.1] [64:FF9B::127.0.0.1] １２７.0.0.1`

describe('inner addresses', () => {
  for (const address of OUTER.split(/\s+/)) {
    it(`do not include ${address}`, () => {
      expect(isInnerAddress(address)).to.equal(false)
    })
  }
  for (const address of INNER.split(/\s+/)) {
    it(`include ${address}`, () => {
      expect(isInnerAddress(address)).to.equal(true)
    })
  }
  for (const host of SPELLINGS.split(/\s+/)) {
    it(`include the URL host ${host}`, () => {
      expect(isInnerHost(new URL(`http://${host}:80/`))).to.equal(true)
    })
  }

  it('do not include names before a lookup', () => {
    for (const host of ['localhost', 'example.org', '127.0.0.1.example.org', 'fe80.example']) {
      expect(isInnerHost(new URL(`http://${host}/`)), host).to.equal(false)
    }
  })

  it('have no zone in a URL', () => {
    expect(URL.canParse('http://[fe80::1%25eth0]/')).to.equal(false)
  })

  const look = (addresses: readonly string[], all: boolean): Promise<unknown> => {
    const resolver: LookupFunction = (_name, _options, done) => {
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }
    return new Promise((resolve) => {
      lookUpOutside(resolver)('name.example', { all }, (error, found) => {
        resolve(error ?? found)
      })
    })
  }

  it('are refused if a name resolves to one, alone or among others', async () => {
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['2a00::1', '::127.0.0.1']]) {
      for (const all of [true, false]) {
        expect(await look(addresses, all)).to.be.instanceOf(InnerAddressError)
      }
    }
  })

  it('do not change the lookup of other names', async () => {
    expect(await look(['8.8.8.8', '2a00::1'], false)).to.equal('8.8.8.8')
    expect(await look(['8.8.8.8', '2a00::1'], true)).to.deep.equal([
      { address: '8.8.8.8', family: 4 },
      { address: '2a00::1', family: 6 },
    ])
    expect(await look([], true)).to.be.instanceOf(Error)
  })
})
