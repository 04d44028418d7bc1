import { type ComponentValue, isComponentValue, type FormValues } from './values.ts'

/**
 * The position of a value in a form: attribute names and component keys. Unlike indexes, keys stay
 * valid when components move.
 */
export type Address = readonly string[]

export function serializeAddress(address: Address): string {
  return address.join('/')
}

export function valueAt(values: FormValues, address: Address): unknown {
  return address.reduce<unknown>((held, step) => {
    if (Array.isArray(held)) return (held as ComponentValue[]).find(({ $key }) => $key === step)
    return isObject(held) ? held[step] : undefined
  }, values)
}

export function withValueAt(values: FormValues, address: Address, value: unknown): FormValues {
  return replaced(values, address, value) as FormValues
}

function replaced(held: unknown, [step, ...rest]: Address, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(held)) {
    return (held as ComponentValue[]).map((one) =>
      one.$key === step ? replaced(one, rest, value) : one,
    )
  }
  return isObject(held) ? { ...held, [step]: replaced(held[step], rest, value) } : held
}

/** Translates an API path, which has indexes, to an address. */
export function toAddress(values: FormValues, path: readonly (string | number)[]): Address {
  const address: string[] = []
  let held: unknown = values
  for (const step of path) {
    const next: unknown = Array.isArray(held)
      ? held[Number(step)]
      : isObject(held)
        ? held[step]
        : undefined
    if (Array.isArray(held) && !isComponentValue(next)) return address
    address.push(isComponentValue(next) && Array.isArray(held) ? next.$key : String(step))
    held = next
  }
  return address
}

/** Translates an address to an API path. Ends before an unknown component. */
export function toPath(values: FormValues, address: Address): readonly string[] {
  const path: string[] = []
  let held: unknown = values
  for (const step of address) {
    const at: number = Array.isArray(held)
      ? (held as ComponentValue[]).findIndex(({ $key }) => $key === step)
      : 0
    if (at < 0) return path
    path.push(Array.isArray(held) ? String(at) : step)
    held = Array.isArray(held) ? held[at] : isObject(held) ? held[step] : undefined
  }
  return path
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
