"""One example of every kind of secret, and beside each something that looks alike and stays."""

import pytest

from stash_client.privacy import PatternError, Patterns, scrub
from stash_client.privacy.tokens import BUILTIN_TOKENS

SECRETS = r"""
xoxb-123456789012-123456789012-zqlampzqlampzqlamp000001
https://hooks.slack.com/services/T00000000/B00000000/zqlampzqlampzqlampzqlamp
https://discord.com/api/webhooks/123456789012345678/zqlampzqlampzqlampzqlampzqlampzqlampzqlampzqlampzqlamp1234
https://api.telegram.org/bot123456789:AAzqlampzqlampzqlampzqlampzqlampzqla/getMe
MTAxMjM0NTY3ODkwMTIzNDU2Nzg5.zqlamp.zqlampzqlampzqlampzqlampzql
SG.zqlampzqlampzqlampzqla.zqlampzqlampzqlampzqlampzqlampzqlampzqlamp1
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.zqlampzqlampzqlamp
stash_zqlampzqlampzqlampzqlampzqlampzqlampzqlamp1
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=zqlampabc+/def0123456789==;EndpointSuffix=core.windows.net
https://shop.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig=zqlamp%2Babc0123456789%3D&se=2026
https://zqlamp0123456789abcdef0123456789@o123.ingest.sentry.io/456
machine api.example.test login dana password zqlamp
db.example.test:5432:shop:app:zqlamp
dana:$apr1$zqlampzq$zqlamp0123456789abcdef.
root:$6$zqlampzq$zqlampzqlampzqlampzqlampzqlampzqlamp:19000:0:99999:7:::
{"auths": {"registry.example.test": {"auth": "enFsYW1wOnpxbGFtcA=="}}}
//registry.npmjs.org/:_authToken=zqlamp-0123-4567
npm config set //registry.npmjs.org/:_authToken zqlamp-0123-4567
mysql -u root -pzqlamp shop
mysqldump --password=zqlamp shop
psql --password zqlamp
sshpass -p 'zqlamp word' ssh host
docker login -u dana -p zqlamp registry.example.test
curl -su dana:zqlamp https://x.example.test
curl -b "session=zqlamp123" https://x.example.test
redis-cli -h cache -a zqlamp ping
openssl rsa -in key.pem -passin pass:zqlamp
ldapsearch -x -D cn=admin -w zqlamp
smbclient //s/x -U dana%zqlamp
./run --api-key zqlamp --verbose
["./run", "--password", "zqlamp"]
$env:API_TOKEN = "zqlamp"
setx API_TOKEN zqlamp
ENV API_TOKEN zqlamp
ALTER USER app IDENTIFIED BY 'zqlamp';
create role app login password 'zqlamp';
spring.datasource.password=zqlamp
<password>zqlamp</password>
<add key="ApiKey" value="zqlamp1"/>
{"name": "DB_PASSWORD", "value": "zqlamp"}
{\"password\":\"zqlamp\",\"x\":1}
os.environ.setdefault("DB_PASSWORD", "zqlamp")
let apiKey: string = "zqlamp-1";
password := "zqlamp"
my password is zqlamp1 please keep it
the api key is zqlamp0123456789abcdef
${DB_PASSWORD:-zqlamp}
jdbc:mysql://db.example.test/shop?user=app&password=zqlamp
Data Source=db;Initial Catalog=shop;User ID=app;Pwd=zqlamp;
amqps://u:zq/lamp#zqlamp@mq.example.test/vh
Authorization: Digest username="x", response="zqlamp"
Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, Signature=zqlamp0123
Set-Cookie: sid=zqlamp; Path=/; HttpOnly
X-Vault-Token: zqlamp
API_KEY=zqlamp40123456789abcdef0123456789abcdef01
"secrets": ["zqlamp-1"]
-----BEGIN OPENSSH PRIVATE KEY-----\nzqlampb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\nzqlamplQOYBGFAKEFAKEFAKEFAKE\n-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN RSA PRIVATE KEY-----\nzqlampMIIEowIBAAKCAQEAFAKEFAKE
""".strip("\n").split("\n")

ORDINARY = r"""
token = get_token()
password: str
def f(password: str, token: Optional[str] = None) -> None:
if password == other:
max_tokens: 4096
"usage": {"input_tokens": 6}
commit 0123456789abcdef0123456789abcdef01234567
"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
5e550000-0000-4000-8000-000000000001
export TOKEN="$(cat /run/token)"
Authorization: Bearer ${TOKEN}
headers = {"Authorization": f"Bearer {token}"}
password = os.environ["DB_PASSWORD"]
client = Client(token=token, secret=secret)
cache_key = "user:1"
SESSION_KEY = "_auth_user_id"
public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFake dana@x
Password must be at least 8 characters
"description": "The password of the user"
"token_type": "bearer"
<input type="password" name="password">
PASSWORD_FILE=/run/secrets/db
tokenizer = Tokenizer.from_pretrained("bert-base")
sk-fading-circle-container-element
npm install @scope/pkg@1.2.3
http://localhost:3000/@vite/client
docker run -p 8080:80 -u 1000:1000 nginx
ssh -p 2222 host
mkdir -p src/a
mysql -u root -p shop
image: nginx@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
-----BEGIN CERTIFICATE-----
const { password } = req.body;
let password: string;
pub token: String,
password VARCHAR(255) NOT NULL,
token: ${{ secrets.GITHUB_TOKEN }}
password: "{{ vault_password }}"
API_KEY=your-api-key-here
PASSWORD=
token, value = get_token(value)
Enter password:
toolu_01ABCDEFGHIJKLMNOPQRSTUV
[redacted:password] stays
next_page_token: CAUQAA
tests/test_auth.py::test_token_refresh[expired-401] PASSED
std::vector<T> privateKey;
""".strip("\n").split("\n")


@pytest.mark.parametrize("line", SECRETS)
def test_scrub_takes_out_every_kind(line):
    clean = scrub(line)
    assert "zqlamp" not in clean.value
    assert "enFsYW1w" not in clean.value
    assert sum(clean.redactions.values()) >= 1


@pytest.mark.parametrize("line", ORDINARY)
def test_scrub_leaves_ordinary_lines_alone(line):
    assert scrub(line).value == line


@pytest.mark.parametrize("token", BUILTIN_TOKENS, ids=lambda token: f"{token.type} {token.prefix}")
def test_scrub_knows_each_prefix_and_not_the_prefix_alone(token):
    body = {"a": "0a1b2c3d4e5f", "A": "0A1B2C3D4E5F"}[
        "A" if "A-Z" in token.body.pattern and "a-" not in token.body.pattern else "a"
    ]
    secret = token.prefix + (body * 12)[:120]
    clean = scrub(f"see {secret} end")
    assert (clean.value.startswith("see [redacted:"), clean.value.endswith("] end")) == (True, True)
    short = f"see {token.prefix}1 end"
    assert scrub(short).value == short


def test_team_patterns_find_prefixes_and_names():
    team = Patterns.compile(
        [
            {"type": "acme-key", "prefix": "acme_", "chars": "A-Za-z0-9_-", "min": 20, "max": 80},
            {"type": "pin", "names": ["LEDGER_PIN"]},
        ]
    )
    text = "acme_" + "x1" * 10 + " acme_short ledgerPin: 4711 LEDGER_PIN=4711"
    assert (
        scrub(text, patterns=team).value
        == "[redacted:acme-key] acme_short ledgerPin: [redacted:pin] LEDGER_PIN=[redacted:pin]"
    )
    assert scrub({"ledger-pin": 4711}, patterns=team).value == {"ledger-pin": "[redacted:pin]"}
    assert scrub("acme_" + "x" * 81, patterns=team).redactions == {}


@pytest.mark.parametrize(
    "item",
    [
        {"type": "Acme Key", "prefix": "acme_"},
        {"type": "a", "prefix": "ab"},
        {"type": "a", "prefix": "acme_", "min": 9, "max": 3},
        {"type": "a", "prefix": "acme_", "min": True},
        {"type": "a", "prefix": "acme_", "chars": "z-a"},
        {"type": "a", "prefix": "acme_", "chars": ""},
        {"type": "a", "names": ["x"]},
        {"type": "a", "names": "LEDGER"},
        "text",
    ],
)
def test_team_patterns_refuse_what_is_malformed(item):
    with pytest.raises(PatternError):
        Patterns.compile([item])


def test_team_patterns_never_compile_a_regular_expression_of_a_user():
    team = Patterns.compile([{"type": "odd", "prefix": "(a+)+$", "chars": "].^\\-", "min": 3}])
    assert scrub("(a+)+$]^.", patterns=team).value == "[redacted:odd]"
