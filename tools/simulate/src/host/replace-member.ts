/** Replaces a member of a module or a global object. Returns the original. */
export function replaceMember(target: object, name: string, value: unknown): unknown {
  const original: unknown = Reflect.get(target, name)
  const isReplaced = Reflect.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: true,
  })
  if (!isReplaced) throw new Error(`${name} cannot be replaced`)
  return original
}

type Callable = (this: unknown, ...args: unknown[]) => unknown

/** @throws Error if the member is no function */
export function functionOf(target: object, name: string): Callable {
  const found: unknown = Reflect.get(target, name)
  if (typeof found !== 'function') throw new Error(`${name} is no function`)
  return function (this: unknown, ...args) {
    return Reflect.apply(found, this, args) as unknown
  }
}
