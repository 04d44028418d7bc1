export type ValueType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'flag' | 'date' | 'json' }
  | { readonly kind: 'enumeration' | 'model' | 'union'; readonly name: string }
  | { readonly kind: 'list'; readonly of: ValueType }

export interface Field {
  readonly key: string
  readonly type: ValueType
  readonly isOptional: boolean
}

export interface Model {
  readonly name: string
  readonly fields: readonly Field[]
}

export interface Enumeration {
  readonly name: string
  readonly values: readonly string[]
}

export interface Union {
  readonly name: string
  readonly cases: readonly { readonly component: string; readonly model: string }[]
}

export interface QueryCode {
  readonly name: string
  readonly shows: 'one' | 'page' | 'groups'
  readonly model: string
  readonly parameters: readonly {
    readonly name: string
    readonly type: ValueType
    readonly isRequired: boolean
  }[]
}

export interface Code {
  readonly models: readonly Model[]
  readonly enumerations: readonly Enumeration[]
  readonly unions: readonly Union[]
  readonly queries: readonly QueryCode[]
}
