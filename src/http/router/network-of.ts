/** An IPv4 address, or the /64 of an IPv6 address. Some proxies write ports into the header. */
export function networkOf(text: string): string {
  const address = withoutPort(text)
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  const all = address.includes('::') ? [...groups, ...zeros, ...after] : groups
  return all.slice(0, 4).join(':').toLowerCase()
}

/** `192.0.2.1:443` and `[2001:db8::1]:443` have ports; `2001:db8::1` has none. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  return bracketed ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
