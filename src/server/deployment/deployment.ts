export interface Deployment {
  readonly kind: 'uri' | 'mongod' | 'embedded'
  readonly uri: string
  /** One sentence: which database runs and why. Contains no secrets. */
  readonly reason: string
  /**
   * Stops a database that this process started, and waits for it. Databases of other processes keep
   * running.
   */
  close(): Promise<void>
}

export interface DeploymentLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
