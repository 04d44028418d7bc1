/** Whether the runtime knows an IANA name, such as Europe/Paris. */
export function isTimeZone(given: unknown): given is string {
  if (typeof given !== 'string') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: given }).format(0)
    return true
  } catch {
    return false
  }
}
