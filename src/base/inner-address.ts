import { lookup as lookUpName, type LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

export class InnerAddressError extends Error {
  constructor(host: string) {
    super(`${host} is no public address`)
    this.name = 'InnerAddressError'
  }
}

/** https://www.iana.org/assignments/iana-ipv4-special-registry, plus multicast and reserved addresses */
const INNER_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`
/**
 * Only global unicast is public, except special ranges. IPv6 forms of IPv4 addresses are outside of it.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const OUTER_IPV6 = '2000::/3'
const INNER_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20'

const innerIPv4 = blockList(INNER_IPV4, 'ipv4')
const innerIPv6 = blockList(INNER_IPV6, 'ipv6')
const outerIPv6 = blockList(OUTER_IPV6, 'ipv6')

/** One list per IP version. A mixed list would match IPv4 addresses as mapped IPv6 addresses. */
function blockList(networks: string, kind: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks.split(/\s+/)) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), kind)
  }
  return list
}

export function isInnerAddress(address: string): boolean {
  const [plain = ''] = address.split('%') // without the zone
  if (!isIPv6(plain)) return innerIPv4.check(plain, 'ipv4')
  return !outerIPv6.check(plain, 'ipv6') || innerIPv6.check(plain, 'ipv6')
}

/** Accepts any notation of an IP address. Returns false for names, which must be resolved first. */
export function isInnerHost({ hostname }: URL): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  return isIP(host) !== 0 && isInnerAddress(host)
}

/** Connects to the checked address, which prevents DNS rebinding. Check IP addresses with `isInnerHost`. */
export function lookUpOutside(lookUp: LookupFunction = lookUpName): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      const [first] = error === null ? addresses : []
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`${hostname} has no address`), [])
      } else if (addresses.some(({ address }) => isInnerAddress(address))) {
        callback(new InnerAddressError(hostname), [])
      } else if (options.all === true) {
        callback(null, addresses)
      } else {
        callback(null, first.address, first.family)
      }
    })
  }
}
