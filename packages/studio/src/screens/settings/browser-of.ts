const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const

/** A readable browser name, such as `Firefox, Linux`. */
export function browserOf(userAgent: string): string {
  const names = [BROWSERS, SYSTEMS].map(
    (known) => known.find(([form]) => form.test(userAgent))?.[1],
  )
  const found = names.filter((name) => name !== undefined)
  return found.length === 0 ? userAgent.slice(0, 60) : found.join(', ')
}
