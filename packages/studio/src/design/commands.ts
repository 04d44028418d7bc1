import { type ReactNode, useEffect, useRef } from 'react'

export interface Command {
  readonly id: string
  readonly text: string
  readonly icon?: ReactNode
  readonly note?: string
  readonly asks?: string
  readonly run: () => void
}

const offers = new Set<{ readonly current: readonly Command[] }>()

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

export function offeredCommands(): readonly Command[] {
  return [...offers].flatMap(({ current }) => current)
}
