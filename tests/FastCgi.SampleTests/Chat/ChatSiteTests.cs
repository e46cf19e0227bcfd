namespace FastCgi.SampleTests.Chat;

public sealed class ChatOnTestServerTests(ChatOnTestServer site) : ChatTests(site), IClassFixture<ChatOnTestServer>;

public sealed class ChatBehindNginxTests(ChatBehindNginx site) : ChatTests(site), IClassFixture<ChatBehindNginx>;
