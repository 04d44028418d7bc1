/** The database that runs, why it does, and how to let go of it. */
export interface Deployment {
  readonly kind: 'uri' | 'mongod' | 'embedded'
  readonly uri: string
  /** One sentence: what runs and why; without a secret. */
  readonly reason: string
  /** Stops what was started for this process and waits for it; what runs for others goes on. */
  close(): Promise<void>
}

/** What the room needs of a logger. */
export interface DeploymentLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
