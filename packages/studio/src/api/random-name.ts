/** A unique name. `crypto.randomUUID` requires HTTPS, which a local server may lack. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
