namespace FastCgi.Testing.Tests.Connections;

/// <summary>Over a unix socket, the endpoint that a factory has by default.</summary>
public sealed class UnixConnectionTests(FastCgiApplicationFactory<Program> factory)
    : ConnectionTests(factory), IClassFixture<FastCgiApplicationFactory<Program>>;
