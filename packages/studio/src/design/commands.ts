import { useEffect, useRef } from 'react'

/** A line of the palette. */
export interface Command {
  readonly id: string
  readonly text: string
  readonly note?: string
  /** The consequences, for a command that is confirmed before it runs. */
  readonly asks?: string
  readonly run: () => void
}

const offers = new Set<{ readonly current: readonly Command[] }>()

/** Offers in the palette what can be done on the screen, for as long as it is shown. */
export function useOffer(commands: readonly Command[]): void {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  useEffect(() => {
    offers.add(latest)
    return () => void offers.delete(latest)
  }, [])
}

/** What is offered now. */
export function offeredCommands(): readonly Command[] {
  return [...offers].flatMap(({ current }) => current)
}
