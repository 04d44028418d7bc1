import { createHmac } from 'node:crypto'

export interface PolicyTerms {
  readonly bucket: string
  readonly key: string
  readonly maxBytes: number
  readonly now: Date
  readonly expires: Date
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

/**
 * The fields of a form that may store one object.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-UsingHTTPPOST.html
 */
export function signPolicy(terms: PolicyTerms): Readonly<Record<string, string>> {
  const { bucket, key, maxBytes, now, expires, region, credentials } = terms
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = date.slice(0, 8)
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const fields = {
    key,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${accessKeyId}/${day}/${region}/s3/aws4_request`,
    'x-amz-date': date,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const conditions = [
    { bucket },
    ...Object.entries(fields).map(([name, value]) => ({ [name]: value })),
    ['content-length-range', 1, maxBytes],
  ]
  const text = JSON.stringify({ expiration: expires.toISOString(), conditions })
  const policy = Buffer.from(text).toString('base64')
  const signature = signatureOfPolicy(policy, { secretAccessKey, day, region })
  return { ...fields, policy, 'x-amz-signature': signature }
}

export function signatureOfPolicy(
  policy: string,
  {
    secretAccessKey,
    day,
    region,
  }: { readonly secretAccessKey: string; readonly day: string; readonly region: string },
): string {
  let key: string | Buffer = `AWS4${secretAccessKey}`
  for (const part of [day, region, 's3', 'aws4_request']) key = hmac(key, part)
  return hmac(key, policy).toString('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
