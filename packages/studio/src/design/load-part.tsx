import { type ComponentType, lazy, type LazyExoticComponent } from 'react'

/**
 * A chunk of the app could not be loaded, because the network failed or the server has a new
 * version.
 */
export class NotLoaded extends Error {}

/** @throws NotLoaded */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoaded('A part of the Studio could not be loaded', { cause })
  }
}

/** A component that loads when it first renders. It throws only `NotLoaded`. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load) }))
}
