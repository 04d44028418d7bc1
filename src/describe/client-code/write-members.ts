import { type Member, quoted } from './code.ts'

export function writeMembers(members: readonly Member[], indent = '', end = ''): string {
  if (members.length === 0) return '{}'
  const lines = members.map((member) => `${indent}${writeMember(member, end)}`)
  return `{\n${lines.join('')}${indent}}`
}

export function writeMember([name, type]: Member, end = ''): string {
  const [, plain = name, optional = ''] = /^(.*?)(\??)$/.exec(name) ?? []
  const key = /^[A-Za-z_$][\w$]*$/.test(plain) ? plain : quoted(plain)
  return `  ${key}${optional}: ${type}${end}\n`
}
