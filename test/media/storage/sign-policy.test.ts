import { expect } from 'chai'
import { signatureOfPolicy, signPolicy } from '../../../src/media/storage/sign-policy.ts'

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'

/** The example of the S3 documentation, with its line ends. */
const EXAMPLE = [
  '{ "expiration": "2015-12-30T12:00:00.000Z",',
  '  "conditions": [',
  '    {"bucket": "sigv4examplebucket"},',
  '    ["starts-with", "$key", "user/user1/"],',
  '    {"acl": "public-read"},',
  '    {"success_action_redirect": "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},',
  '    ["starts-with", "$Content-Type", "image/"],',
  '    {"x-amz-meta-uuid": "14365123651274"},',
  '    {"x-amz-server-side-encryption": "AES256"},',
  '    ["starts-with", "$x-amz-meta-tag", ""],',
  '',
  '    {"x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},',
  '    {"x-amz-algorithm": "AWS4-HMAC-SHA256"},',
  '    {"x-amz-date": "20151229T000000Z" }',
  '  ]',
  '}',
].join('\r\n')

describe('signPolicy', () => {
  it('signs the example of the S3 documentation like S3', () => {
    const policy = Buffer.from(EXAMPLE).toString('base64')
    const signed = { secretAccessKey: SECRET, day: '20151229', region: 'us-east-1' }
    expect(signatureOfPolicy(policy, signed)).to.equal(
      '8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e',
    )
  })

  it('permits one key, one range of sizes and no other field', () => {
    const { policy = '', ...fields } = signPolicy({
      bucket: 'files',
      key: 'incoming/x',
      maxBytes: 1_000,
      now: new Date('2026-01-02T03:04:05.678Z'),
      expires: new Date('2026-01-02T03:19:05.678Z'),
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AK', secretAccessKey: SECRET, sessionToken: 'ST' },
    })
    expect(JSON.parse(Buffer.from(policy, 'base64').toString())).to.deep.equal({
      expiration: '2026-01-02T03:19:05.678Z',
      conditions: [
        { bucket: 'files' },
        { key: 'incoming/x' },
        { 'x-amz-algorithm': 'AWS4-HMAC-SHA256' },
        { 'x-amz-credential': 'AK/20260102/eu-west-1/s3/aws4_request' },
        { 'x-amz-date': '20260102T030405Z' },
        { 'x-amz-security-token': 'ST' },
        ['content-length-range', 1, 1_000],
      ],
    })
    expect(fields['key']).to.equal('incoming/x')
    expect(fields['x-amz-signature']).to.match(/^[0-9a-f]{64}$/)
  })
})
