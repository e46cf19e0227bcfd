namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>The state tables of docs/architecture.md, whose transitions <see cref="Probe"/> counts.</summary>
internal enum StateTable
{
    Connection,
    Stage,
    Response,
    Hold,
    Body,
    Reader,
    Upgrade,
}
