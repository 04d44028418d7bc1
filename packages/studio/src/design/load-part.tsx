import { type ComponentType, lazy, type LazyExoticComponent } from 'react'

/** A part of the app that the server did not give: the network is gone, or another version is served by now. */
export class NotLoaded extends Error {}

/** Loads a part of the app. @throws NotLoaded */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoaded('A part of the Studio could not be loaded', { cause })
  }
}

/** A component that is loaded when it is first shown. What it throws is a `NotLoaded`. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load) }))
}
