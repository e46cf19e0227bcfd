namespace FastCgi.Testing.Tests.Connections;

/// <summary>In memory, without a socket.</summary>
public sealed class MemoryConnectionTests(MemoryConnectionTests.MemoryFactory factory)
    : ConnectionTests(factory), IClassFixture<MemoryConnectionTests.MemoryFactory>
{
    public sealed class MemoryFactory : FastCgiApplicationFactory<Program>
    {
        public MemoryFactory() => Endpoint = FastCgiTestEndpoint.Memory;
    }
}
