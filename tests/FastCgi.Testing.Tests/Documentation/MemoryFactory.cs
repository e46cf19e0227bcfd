namespace FastCgi.Testing.Tests.Documentation;

/// <summary>As docs/testing.md has it.</summary>
public sealed class MemoryFactory : FastCgiApplicationFactory<Program>
{
    public MemoryFactory() => Endpoint = FastCgiTestEndpoint.Memory;
}
