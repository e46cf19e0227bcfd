namespace FastCgi.TestingApp;

/// <summary>What the application knows about a client.</summary>
public sealed record Client(
    string? Address,
    int Port,
    string Scheme,
    string? Host,
    string? PathBase,
    string? Path,
    string? User,
    string? AuthenticationType,
    string? Certificate);
