/** A name that no other has. `crypto.randomUUID` is there on secure pages alone, and a server at home is none. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
