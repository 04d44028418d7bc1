/** A file of React Native, as its pickers and cameras return it. */
export interface NativeFile {
  readonly uri: string
  readonly name: string
  readonly type: string
  readonly size?: number
}
