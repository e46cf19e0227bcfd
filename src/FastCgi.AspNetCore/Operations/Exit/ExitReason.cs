namespace FastCgi.AspNetCore.Operations.Exit;

/// <summary>Why the process ends by itself.</summary>
internal enum ExitReason
{
    Idle,
    Requests,
    Memory,
}
