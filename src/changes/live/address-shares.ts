export interface AddressShares {
  of(address: string): number
  /** Adds one and returns a function that releases it. */
  add(address: string): () => void
}

export function openAddressShares(): AddressShares {
  const counts = new Map<string, number>()
  const change = (address: string, by: 1 | -1): void => {
    const count = (counts.get(address) ?? 0) + by
    if (count === 0) counts.delete(address)
    else counts.set(address, count)
  }
  return {
    of: (address) => counts.get(address) ?? 0,
    add: (address) => {
      let isCounted = true
      change(address, 1)
      return () => {
        if (isCounted) change(address, -1)
        isCounted = false
      }
    },
  }
}
