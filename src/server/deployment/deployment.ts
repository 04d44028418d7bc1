export interface Deployment {
  readonly kind: 'uri' | 'mongod' | 'embedded'
  readonly uri: string
  /** One sentence without secrets. */
  readonly reason: string
  /** Databases of other processes keep running. */
  close(): Promise<void>
}

export interface DeploymentLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
